import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';

/** Checks a log against the JSON schema of SARIF 2.1.0, formats included. */
export function sarifValidator(): ValidateFunction {
  const require = createRequire(import.meta.url);
  const file = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  // Draft 4, of which nothing but the name of the identifier differs in what this schema uses.
  const { id: _id, $schema: _dialect, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
  const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
  formats.default.default(ajv);
  return ajv.compile(schema);
}
