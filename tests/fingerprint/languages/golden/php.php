<!DOCTYPE html>
<title>Tides</title>
<?php
declare(strict_types=1);
namespace Tides;

use Psr\Log\LoggerInterface;
require_once 'place.php';

/** A harbour and its readings. */
#[Entity]
final class Harbour extends Place implements \Countable
{
    private const LIMIT = 0x1F;
    public static ?array $readings = [];

    public function __construct(protected readonly string $name) {}

    public function swing(array $levels, float $floor = 0.5): int
    {
        $worst = 0; // never shrinks
        for ($i = 1; $i < count($levels); $i++) {
            $change = abs($levels[$i] - $levels[$i - 1]);
            if ($change >= self::LIMIT && !($change === 42) || $worst != 7) {
                $worst += $change;
            } elseif ($change <=> $floor) {
                continue;
            }
        }
        return $worst > 0 ? $worst : -1;
    }
}

function report($places) {
    foreach ($places as $key => $place) {
        try {
            switch ($place) {
                case 'east':
                    echo "line {$key} of $place\n", 'done' . PHP_EOL;
                    break;
                default:
                    $lines = array_map(function ($line) use ($key) { return trim($line); }, $places);
            }
        } catch (\RuntimeException $problem) {
            $text = <<<TEXT
no line after $key
TEXT;
            throw new \LogicException($text);
        }
    }
    while (true) { unset($places['x']); }
    $this->name ??= null;
}
?>
<p>That is all.</p>
