/** How the name of a variable ends that holds a secret, in capitals. */
const secretEndings: readonly string[] = [
  ...['API_KEY', 'APIKEY', 'ACCESS_KEY', 'ACCESSKEY', 'SECRET_KEY', 'PRIVATE_KEY', 'AUTH_KEY', 'ACCOUNT_KEY'],
  ...['MASTER_KEY', 'SIGNING_KEY', 'ENCRYPTION_KEY', 'DEPLOY_KEY', 'SERVICE_KEY', 'LICENSE_KEY', 'HOST_KEY'],
  ...['SERVICE_ROLE_KEY', 'STORAGE_KEY', 'SUBSCRIPTION_KEY', 'WEBHOOK_KEY', 'SSH_KEY', 'KEY_BASE'],
  ...['TOKEN', 'SECRET', 'SECRETS', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'PASS', '_PWD', '_PAT', '_AUTH'],
  ...['CREDENTIAL', 'CREDENTIALS', 'COOKIE', 'CONNECTION_STRING', 'WEBHOOK_URL', 'KEY_JSON'],
];

/** Names that end like those of secrets, and hold none. */
const publicNames: ReadonlySet<string> = new Set(['SSH_AUTH', 'GIT_ASKPASS', 'SSH_ASKPASS', 'BYPASS']);

const ending = new RegExp(`(?:^|_)(?:${secretEndings.map((text) => text.replace(/^_/, '')).join('|')})$`);
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
