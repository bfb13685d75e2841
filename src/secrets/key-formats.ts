/** Format of the keys of a well-known issuer. */
export interface KeyFormat {
  /** Name in the placeholder. */
  readonly name: string;
  /** Prefixes, one of which begins a key. */
  readonly prefixes: readonly string[];
  /** Regular expression for one character of the rest of the key. */
  readonly body: string;
  /** Minimum number of such characters. */
  readonly least: number;
  /** True if a key contains a digit: words of the same characters do not count. */
  readonly hasDigit?: true;
  /** Regular expression of the text after the prefix, if it is more than a number of such characters. */
  readonly rest?: string;
  /** True if the prefix is not part of the secret. */
  readonly keepsPrefix?: true;
  /** True if it may begin within a word. */
  readonly isAnywhere?: true;
}

/** Length in characters: a private key is the longest. */
export const longestKey = 16 * 1024;

const word = '[\\w-]';
const alphanumeric = '[A-Za-z0-9]';
const ofPrivateKey = '[A-Za-z0-9+/=\\s\\\\:,-]';

/**
 * Keys that are recognized by their form, whatever their source. Each begins with a fixed prefix, and the
 * rest can be matched in one pass, so that the search takes time linear in the text.
 */
export const keyFormats: readonly KeyFormat[] = [
  { name: 'anthropic key', prefixes: ['sk-ant-'], body: word, least: 16 },
  { name: 'stripe key', prefixes: ['sk_live_', 'rk_live_', 'whsec_'], body: alphanumeric, least: 16 },
  { name: 'sk key', prefixes: ['sk-'], body: word, least: 20, hasDigit: true },
  { name: 'google key', prefixes: ['AIza'], body: word, least: 30 },
  {
    name: 'github token',
    prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    body: '\\w',
    least: 30,
  },
  { name: 'gitlab token', prefixes: ['glpat-'], body: word, least: 20 },
  { name: 'aws key', prefixes: ['AKIA', 'ASIA'], body: '[A-Z0-9]', least: 16 },
  {
    name: 'slack token',
    prefixes: ['xoxa-', 'xoxb-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    body: word,
    least: 10,
  },
  { name: 'npm token', prefixes: ['npm_'], body: alphanumeric, least: 36 },
  { name: 'hugging face token', prefixes: ['hf_'], body: alphanumeric, least: 30 },
  { name: 'groq key', prefixes: ['gsk_'], body: alphanumeric, least: 40 },
  { name: 'xai key', prefixes: ['xai-'], body: alphanumeric, least: 40 },
  {
    name: 'json web token',
    prefixes: ['eyJ'],
    body: '[\\w.-]',
    least: 30,
    rest: `${word}{8,}\\.eyJ${word}{4,}\\.${word}{8,}`,
  },
  {
    name: 'bearer token',
    prefixes: ['Bearer ', 'bearer '],
    body: '[\\w.~+/=-]',
    least: 16,
    hasDigit: true,
    keepsPrefix: true,
  },
  {
    name: 'basic authorization',
    prefixes: ['Authorization: Basic ', 'authorization: Basic ', 'authorization: basic '],
    body: '[A-Za-z0-9+/=]',
    least: 8,
    keepsPrefix: true,
  },
  {
    name: 'api key header',
    prefixes: ['x-api-key: ', 'X-Api-Key: ', 'X-API-Key: ', 'x-goog-api-key: ', 'api-key: '],
    body: '[\\w.-]',
    least: 16,
    keepsPrefix: true,
  },
  {
    name: 'private key',
    prefixes: ['-----BEGIN '],
    body: ofPrivateKey,
    least: 30,
    rest: `[A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END )${ofPrivateKey}){0,${longestKey}}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?`,
    isAnywhere: true,
  },
];
