#!/usr/bin/env node
// `npm create attractor-dot ARGUMENTS` is `attractor init ARGUMENTS` of the version that this package names.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { bin } = require('attractor-dot/package.json');
process.argv.splice(2, 0, 'init');
require(join(dirname(require.resolve('attractor-dot/package.json')), bin.attractor));
