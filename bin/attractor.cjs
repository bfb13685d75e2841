#!/usr/bin/env node
// CommonJS, like all that it loads: without Node's loader of ES modules it starts sooner.
const { keepCompiledCode, main } = require('../dist/cli.cjs');

keepCompiledCode(process.env, process.platform);
main(process.argv.slice(2), process).then((status) => {
  process.exitCode = status;
});
