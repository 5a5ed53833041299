"""The manifests of deploy/kubernetes that an operator may add: example policies and backups."""

import yaml

from tests.test_kubernetes import FOLDER, MANIFESTS, PODS, main_container


def test_example_policies_select_pods_that_exist() -> None:
    known = {name for name in PODS if name != "migrate"}
    examples = list(yaml.safe_load_all((FOLDER / "networks-examples.yaml").read_text()))
    assert len(examples) > 3
    for example in examples:
        selector = example["spec"]["podSelector"]
        named = {selector.get("matchLabels", {}).get("app.kubernetes.io/component", "proxy")}
        for expression in selector.get("matchExpressions", []):
            named |= set(expression["values"])
        assert named <= known, example["metadata"]["name"]


def test_the_nightly_backup_runs_what_compose_runs_with_the_rights_of_what_migrates() -> None:
    compose = yaml.safe_load((FOLDER.parent.parent / "compose.backup.yaml").read_text())["services"]["backup"]
    pod = MANIFESTS["CronJob/backup"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    migrate = main_container("migrate")
    assert (container["image"], container["command"]) == (compose["image"], compose["command"])
    for field in ("securityContext", "envFrom", "env", "resources"):
        assert container[field] == migrate[field]
    assert pod["securityContext"] == PODS["migrate"]["securityContext"]
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    claims = [
        one["persistentVolumeClaim"]["claimName"] for one in pod["volumes"] if "persistentVolumeClaim" in one
    ]
    assert claims == [MANIFESTS["PersistentVolumeClaim/backups"]["metadata"]["name"]]
    assert {mount["name"] for mount in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}
