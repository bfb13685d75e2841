import { parseProperty } from '../../parser/property/parse.js';
import type { NamedProperty, PropertyOrigin } from './monitor.js';

/** A property that cannot be read, and where in its list. */
export interface PropertyProblem {
  /** From 1; of a configuration, the ordinal of the property. */
  readonly line: number;
  readonly column: number;
  readonly name: string;
  readonly message: string;
}

export interface PropertyList {
  readonly properties: readonly NamedProperty[];
  readonly problems: readonly PropertyProblem[];
}

/** Reads the properties of a file: a line `name: sentence` each; empty lines, and lines that begin with `#`, are left out. */
export function readPropertyLines(text: string): PropertyList {
  const properties: NamedProperty[] = [];
  const problems: PropertyProblem[] = [];
  const seen = new Set<string>();
  for (const [index, written] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (/^\s*(?:#.*)?$/.test(written)) continue;
    const line = index + 1;
    const [, indent = '', name = '', between = '', sentence = ''] =
      /^(\s*)([A-Za-z_][A-Za-z0-9_-]*)(\s*:\s*)(.*)$/.exec(written) ?? [];
    const start = indent.length + name.length + between.length;
    if (name === '') {
      const message = `found "${written.trim()}"; expected a name, a colon and a sentence, such as reviewed: publish only after approve = yes`;
      problems.push({ line, column: written.search(/\S/) + 1, name, message });
    } else if (seen.has(name)) {
      problems.push({
        line,
        column: indent.length + 1,
        name,
        message: `there is already a property "${name}"`,
      });
    } else {
      const read = readNamed(name, sentence, 'file');
      if ('message' in read) problems.push({ ...read, line, column: start + read.offset + 1 });
      else properties.push(read);
    }
    seen.add(name);
  }
  return { properties, problems };
}

interface Unreadable {
  readonly name: string;
  readonly offset: number;
  readonly message: string;
}

/** One property by its name. */
export function readNamed(name: string, text: string, origin: PropertyOrigin): NamedProperty | Unreadable {
  const { property, diagnostics } = parseProperty(text);
  if (property !== undefined) return { name, text: text.trim(), origin, property };
  const [error] = diagnostics;
  return { name, offset: error?.span.start ?? 0, message: error?.message ?? 'this is not a property' };
}
