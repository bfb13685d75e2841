/** How the name of a variable ends that holds a secret, in capitals. */
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

/** The same, where another word goes before. */
const secretLastWords: readonly string[] = ['PASS', 'PWD', 'PAT', 'AUTH', 'COOKIE', 'WEBHOOK_URL'];

/** Names that end like those of secrets, and hold none. */
const publicNames: ReadonlySet<string> = new Set(['GIT_ASKPASS', 'SSH_ASKPASS']);

const ending = new RegExp(`(?:${secretEndings.join('|')}|_(?:${secretLastWords.join('|')}))$`);
const number = /(?:_?[0-9]+|_B64|_BASE64)$/;

/** Whether the name of a variable says that its value is a secret. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (publicNames.has(upper)) return false;
  return ending.test(upper) || ending.test(upper.replace(number, ''));
}

/** Whether the name says that its value may be one: that of a key of any kind. */
export function isKeyName(name: string): boolean {
  return /(?:^|_)KEY$/.test(name.toUpperCase().replace(number, ''));
}
