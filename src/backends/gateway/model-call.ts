/** Paths of requests that cost something, of Anthropic, OpenAI (and servers like it) and Google. */
const modelPaths =
  /\/(?:messages|responses(?:\/compact)?|(?:chat\/)?completions|embeddings)$|:(?:streamGenerateContent|generateContent|(?:batch)?embedContents?)$/i;

/** True for a request that a model answers, and that costs something. */
export function isModelCall(method: string | undefined, path: string): boolean {
  return method === 'POST' && modelPaths.test(pathOnly(path));
}

/** Name of the model that a request asks for; empty if it does not show. */
export function modelAskedFor(path: string, body: Uint8Array): string {
  // Google has it in the path.
  const [, ofPath] = /\/models\/([^/:]+):[a-z]+$/i.exec(pathOnly(path)) ?? [];
  if (ofPath !== undefined) return decodeURIComponent(ofPath);
  try {
    const { model } = JSON.parse(new TextDecoder().decode(body)) as { readonly model?: unknown };
    return typeof model === 'string' ? model : '';
  } catch {
    return '';
  }
}

function pathOnly(path: string): string {
  return path.replace(/[?#].*$/, '');
}
