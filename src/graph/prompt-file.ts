import type { Attribute, Node } from './graph.js';

/** Attribute of a node that names the file with its prompt (SEMANTICS 112); undefined after the file was read. */
export function promptFileOf({ attributes }: Node): Attribute | undefined {
  const attribute = attributes.get('prompt_file');
  return attribute === undefined || String(attribute.value).trim() === '' ? undefined : attribute;
}
