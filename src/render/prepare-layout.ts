/** Begins to load Graphviz, so that other threads compile it while the pipeline is still being read. */
export async function prepareLayout(): Promise<void> {
  try {
    const { Graphviz } = await import('./graphviz.js');
    await Graphviz.load();
  } catch {
    // The layout will meet the error again, and its caller handles it.
  }
}
