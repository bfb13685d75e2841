import fc from 'fast-check';

// What is tried is the same in every run, so that a change is blamed for what it broke and for nothing else. Whoever looks for
// what nobody has found yet says ATTRACTOR_PROOF_SEED=random, and ATTRACTOR_PROOF_RUNS=1000; see CONTRIBUTING.md.
const { ATTRACTOR_PROOF_SEED: asked = '1' } = process.env;
if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });

export { fc };
