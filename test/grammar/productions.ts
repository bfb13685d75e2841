import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../docs/markdown.js';
import type { Production } from './ebnf.js';

/** The productions that stand in comments above the rules of a parser, in their order. */
export function productionsOf(file: string): readonly Production[] {
  const text = readFileSync(path.join(root, 'src/parser', file), 'utf8');
  return [...text.matchAll(/^ *(?:\/\/|\/\*\*) ([A-Z][A-Za-z]*) +::= (.*?)(?: \*\/)?$/gm)].map(
    ([, name = '', definition = '']) => ({ name, definition }),
  );
}
