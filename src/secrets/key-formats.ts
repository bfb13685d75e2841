/** How the keys of a well-known issuer look. */
export interface KeyFormat {
  /** What it is called where it is hidden. */
  readonly name: string;
  /** One of these begins it. */
  readonly prefixes: readonly string[];
  /** What it consists of after that, as a regular expression for one character. */
  readonly body: string;
  /** How many of these there are at least. */
  readonly least: number;
  /** Words of the same characters do not count. */
  readonly hasDigit?: true;
  /** What follows the prefix, where it is not just a number of such characters. */
  readonly rest?: string;
  /** The prefix is not part of the secret. */
  readonly keepsPrefix?: true;
  /** It may begin within a word. */
  readonly isAnywhere?: true;
}

/** In characters: a private key is the longest. */
export const longestKey = 16 * 1024;

const word = '[\\w-]';
const alphanumeric = '[A-Za-z0-9]';
const ofPrivateKey = '[A-Za-z0-9+/=\\s\\\\:,-]';

/**
 * Keys that are known by their looks, wherever they come from. Each begins with a fixed text, and what follows can be read in
 * one go, so that looking for them takes time in proportion to the text.
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
