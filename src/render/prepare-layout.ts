/** Optimizing code takes longer than it saves, up to some thousand nodes; V8 by itself begins hundreds of times sooner. */
const tieringBudget = '--wasm-tiering-budget=1000000000';
/** A later V8 might not know the setting, and would print that. */
const newestKnownNode = 24;

/**
 * Begins to load Graphviz, so that other threads compile it while the pipeline is still being read. For processes that draw
 * once: it changes how this process compiles WebAssembly.
 */
export async function prepareLayout(): Promise<void> {
  try {
    if (Number.parseInt(process.versions.node, 10) <= newestKnownNode) {
      const { setFlagsFromString } = await import('node:v8');
      setFlagsFromString(tieringBudget);
    }
    const { Graphviz } = await import('./graphviz.js');
    await Graphviz.load();
  } catch {
    // The layout will meet it again, where somebody waits for it.
  }
}
