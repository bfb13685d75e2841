import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every page of the documentation in the order of its index, for models that are to know the whole language. */
export function llmsFull(root) {
  const docs = join(root, 'docs');
  const index = readFileSync(join(docs, 'README.md'), 'utf8');
  const pages = new Set([...index.matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, file]) => file));
  return [...pages].map((file) => readFileSync(join(docs, file), 'utf8')).join('\n');
}
