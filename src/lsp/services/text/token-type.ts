/** Types of tokens, of those that the protocol has names for. */
export const tokenTypes = [
  'keyword',
  'namespace',
  'function',
  'property',
  'variable',
  'parameter',
  'class',
  'enumMember',
  'string',
  'number',
  'operator',
  'comment',
] as const;

export type TokenType = (typeof tokenTypes)[number];
