import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find-secrets.js';
import { isSecretName } from '../../src/secrets/secret-names.js';

const value = 'q7Xm2pLw9Rt4';

describe('the name of a variable says that it holds a secret', () => {
  test.each([
    ...[
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'openai_api_key',
      'APIKEY',
      'AWS_SECRET_ACCESS_KEY',
      'GH_TOKEN',
    ],
    ...['NPM_TOKEN', 'TOKEN', 'CLIENT_SECRET', 'DB_PASSWORD', 'PGPASSWORD_2', 'MYSQL_PWD', 'SSH_PASSPHRASE'],
    ...[
      'GITHUB_PAT',
      'REGISTRY_AUTH',
      'GOOGLE_CREDENTIALS',
      'SESSION_COOKIE',
      'SIGNING_KEY_BASE64',
      'API_KEY_1',
    ],
  ])('%s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each([
    ...['PATH', 'HOME', 'PWD', 'OLDPWD', 'MAX_TOKENS', 'TOKENIZERS_PARALLELISM', 'SSH_AUTH_SOCK', 'KEYBOARD'],
    ...[
      'SECRETARY',
      'PASSENGERS',
      'BYPASS',
      'GIT_ASKPASS',
      'XAUTHORITY',
      'PRIMARY_KEYS',
      'MONKEY',
      'COMPASS',
    ],
  ])('not %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('what is secret in an environment', () => {
  test.each([
    ['by its name', { MY_API_KEY: value }, [value]],
    ['without the blanks around it', { MY_API_KEY: ` ${value}\n` }, [value]],
    [
      'in base64 that begins like a path',
      { AWS_SECRET_ACCESS_KEY: '/aB3dE6gH9jK2mN5/Q8sTuV1' },
      ['/aB3dE6gH9jK2mN5/Q8sTuV1'],
    ],
    ['any key that looks like one', { DEEPSEEK_KEY: 'aB3dE6gH9jK2mN5pQ' }, ['aB3dE6gH9jK2mN5pQ']],
    [
      'a password in an address',
      { DATABASE_URL: 'postgres://me:p%40ssw0rd1@db/x' },
      ['p%40ssw0rd1', 'p@ssw0rd1'],
    ],
  ])('%s', (_how, variables, found) => {
    expect(findSecrets(variables).map((secret) => secret.value)).toEqual(found);
  });

  test('whatever the configuration names', () => {
    expect(findSecrets({ ODD: value }, ['ODD'])).toEqual([{ name: 'ODD', value }]);
  });

  test.each([
    ['too short', { MY_TOKEN: 'abcdefg' }],
    ['a path', { MY_TOKEN: '/run/secrets/my-token', HER_KEY: '~/keys/hers.pem', ITS_TOKEN: 'C:\\keys\\its' }],
    ['an address', { MY_TOKEN: 'https://example.com/token' }],
    ['a common word', { MY_TOKEN: 'undefined', MY_PASSWORD: 'Password' }],
    ['stars', { MY_TOKEN: '************' }],
    ['the name itself', { MY_TOKEN: 'MY_TOKEN' }],
    ['a key that is a word', { SORT_KEY: 'created_at_descending' }],
    ['not there', { MY_TOKEN: undefined }],
  ])('not what is %s', (_what, variables) => {
    expect(findSecrets(variables)).toEqual([]);
  });
});
