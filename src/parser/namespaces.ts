/** What the keys of a run begin with (SEMANTICS §12): a bare word that starts so, and a dot, is a key and no text. */
export const namespaces: readonly string[] = [
  'context',
  'state',
  'inputs',
  'graph',
  'internal',
  'result',
  'parallel',
  'human',
  'tool',
  'work',
  'stack',
];
