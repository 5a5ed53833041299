"""The simulation of hand-ins: each is in a report, and many within a minute are few rankings."""

from random import Random

from bench.arrivals import WEEK, Service, hand_ins, simulate


def test_every_hand_in_gets_a_report_and_a_crowded_minute_has_few_rankings() -> None:
    service = Service(reading=0.5, fixed=0.1, each=0.01, power=1.0)
    [alone] = simulate([(7.0, 0)], 1, 2, service).waits
    assert abs(alone - (0.5 + service.ranking(1))) < 1e-9
    crowd = simulate([(number * 0.6, 0) for number in range(100)], 4, 2, service)
    assert len(crowd.waits) == 100
    assert crowd.rankings <= 4
    assert max(crowd.waits) < 65
    assert simulate([(number * 0.6, 0) for number in range(100)], 4, 1_000, service).rankings > 30
    arrivals = hand_ins(2_000, 1.0, Random(1))
    assert arrivals == sorted(arrivals)
    assert all(0 <= time <= WEEK for time, _ in arrivals)
    few, many = (simulate([(0.0, number) for number in range(40)], cores, 2, service).waits for cores in (1, 8))
    assert len(few) == len(many) == 40
    assert sum(few) > 4 * sum(many)
