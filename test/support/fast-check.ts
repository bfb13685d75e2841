import fc from 'fast-check';

// What is tried is the same in every run, so that a change is blamed for what it broke and for nothing else. Whoever looks for
// what nobody has found yet says ATTRACTOR_PROOF_SEED=random, and ATTRACTOR_PROOF_RUNS=1000; see CONTRIBUTING.md.
const { ATTRACTOR_PROOF_SEED: asked = '1', ATTRACTOR_PROOF_RUNS: runs, ATTRACTOR_PROOF: proof } = process.env;
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });

/**
 * How often a property is tried. Those of a `*.property.test.ts` belong to two commands: `npm test` tries them quickly, `npm run
 * test:proof` thoroughly.
 */
export function runsOf(often: number | { readonly quick: number; readonly thorough: number }): number {
  if (runs !== undefined) return Number(runs);
  if (typeof often === 'number') return often;
  return proof === undefined ? often.quick : often.thorough;
}

export { fc };
