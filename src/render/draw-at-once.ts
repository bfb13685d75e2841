/** Optimizing code takes longer than it saves, up to some thousand nodes; V8 by itself begins hundreds of times sooner. */
const tieringBudget = '--wasm-tiering-budget=1000000000';
/** A later V8 might not know the setting, and would print that. */
const newestKnownNode = 24;

/**
 * Sets this process up to draw once: V8 does not optimize Graphviz. To be called before other code is loaded, because V8 uses
 * kept code only under the settings that it was compiled with.
 */
export async function drawAtOnce(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) > newestKnownNode) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(tieringBudget);
}
