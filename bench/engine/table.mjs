/** What a round measured by the name of the measure: steps, and microseconds by the clock and of the processor. */

/** The time of a step, in microseconds. */
export function perStep(name) {
  return (round, clock) => round[name][clock] / round[name].steps;
}

/**
 * What each further step costs between two sizes of the same thing. What a run costs however short it is (its directory,
 * its manifest, its end) would hide in the time of a step of a short run, and make long ones look better than they are.
 */
export function marginal(few, many) {
  return (round, clock) => (round[many][clock] - round[few][clock]) / (round[many].steps - round[few].steps);
}

export function ratio(numerator, denominator) {
  return (round, clock) => numerator(round, clock) / denominator(round, clock);
}

/** How many steps a second. */
export function rate(name) {
  return (round, clock) => 1e6 / perStep(name)(round, clock);
}

/**
 * A figure over all rounds: of the best time of each part, the median of what the rounds say, and of the processor.
 * @returns undefined where it was not measured
 */
export function over(rounds, figure) {
  if (!rounds.every((round) => isMeasured(round, figure))) return undefined;
  return {
    best: figure(bestOf(rounds), 'wall'),
    median: median(rounds.map((round) => figure(round, 'wall'))),
    cpu: median(rounds.map((round) => figure(round, 'cpu'))),
  };
}

/** @param rows what, best, median, processor, goal, verdict */
export function table(rows) {
  const header = ['', 'best', 'median', 'processor', 'goal', ''];
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => String(row[column] ?? '').length)));
  const line = (row) =>
    widths.map((width, column) => {
      const cell = String(row[column] ?? '');
      return column === 0 || column > 3 ? cell.padEnd(width) : cell.padStart(width);
    });
  return all.map((row) => line(row).join('  ').trimEnd()).join('\n');
}

/** Four digits say enough. */
export function shown(value) {
  if (value === undefined || Number.isNaN(value)) return '';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
  return String(Number(value.toPrecision(3)));
}

function bestOf(rounds) {
  const names = Object.keys(rounds[0]);
  const fastest = (name) => rounds.map((round) => round[name]).reduce((a, b) => (b.wall < a.wall ? b : a));
  return Object.fromEntries(names.map((name) => [name, fastest(name)]));
}

function isMeasured(round, figure) {
  try {
    return Number.isFinite(figure(round, 'wall'));
  } catch {
    return false;
  }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
