/**
 * V8 setting against optimization, which takes longer than it saves, up to some thousand nodes; by default
 * V8 begins hundreds of times sooner.
 */
const tieringBudget = '--wasm-tiering-budget=1000000000';
/** Last Node version known to have the setting; a later V8 might print that it does not. */
const newestKnownNode = 24;

/**
 * Prepares this process for a single drawing: V8 does not optimize Graphviz. Call it before other code is
 * loaded, because V8 uses cached code only under the settings that it was compiled with.
 */
export async function prepareSingleDrawing(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) > newestKnownNode) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString(tieringBudget);
}
