import { type Clock, systemClock } from './driver/clock.js';

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const randomCharacters = 6;

/**
 * Creates a run id: `<utc yyyymmdd-hhmmss>-<graph name>-<6 random base32>` (DESIGN §4). Simulations with
 * the same seed are different runs all the same.
 */
export function newRunId(graphName: string, clock: Clock): string {
  const utc = new Date(clock.now()).toISOString();
  const stamp = `${utc.slice(0, 10).replaceAll('-', '')}-${utc.slice(11, 19).replaceAll(':', '')}`;
  const random = Array.from(
    { length: randomCharacters },
    () => base32[Math.floor(systemClock.random() * base32.length)] ?? 'a',
  ).join('');
  return `${stamp}-${graphName.slice(0, 80)}-${random}`;
}
