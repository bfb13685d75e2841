/**
 * Namespaces of a run's keys (SEMANTICS §12): a bare word that begins with one and a dot is a key, not a
 * text.
 */
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
  'stages',
];
