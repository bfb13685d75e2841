const patienceMs = 100_000;
const pollMs = 5;

/** Resolves as soon as the condition holds; only a test that would wait for ever fails by it. */
export async function waitFor(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
