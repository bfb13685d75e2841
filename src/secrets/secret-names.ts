/** Endings of names of variables that hold a secret, in capitals. */
const secretEndings: readonly string[] = [
  ...['API_KEY', 'APIKEY', 'ACCESS_KEY', 'ACCESSKEY', 'SECRET_KEY', 'PRIVATE_KEY', 'AUTH_KEY', 'ACCOUNT_KEY'],
  ...['MASTER_KEY', 'SIGNING_KEY', 'ENCRYPTION_KEY', 'DEPLOY_KEY', 'SERVICE_KEY', 'LICENSE_KEY', 'KEY_BASE'],
  ...['SERVICE_ROLE_KEY', 'STORAGE_KEY', 'SUBSCRIPTION_KEY', 'WEBHOOK_KEY', 'SSH_KEY', 'KEY_JSON', 'SECRETS'],
  ...[
    'TOKEN',
    'SECRET',
    'PASSWORD',
    'PASSWD',
    'PASSPHRASE',
    'CREDENTIAL',
    'CREDENTIALS',
    'CONNECTION_STRING',
  ],
];

/** Endings that need another word before them. */
const secretLastWords: readonly string[] = ['PASS', 'PWD', 'PAT', 'AUTH', 'COOKIE', 'WEBHOOK_URL'];

/** Names that end like those of secrets, but hold none. */
const publicNames: ReadonlySet<string> = new Set(['GIT_ASKPASS', 'SSH_ASKPASS']);

const ending = new RegExp(`(?:${secretEndings.join('|')}|_(?:${secretLastWords.join('|')}))$`);
const number = /(?:_?[0-9]+|_B64|_BASE64)$/;

/** True if the name of a variable marks its value as a secret. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (publicNames.has(upper)) return false;
  return ending.test(upper) || ending.test(upper.replace(number, ''));
}

/** True if the name suggests a secret: that of a key of any kind. */
export function isKeyName(name: string): boolean {
  return /(?:^|_)KEY$/.test(name.toUpperCase().replace(number, ''));
}
