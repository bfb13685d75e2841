#!/usr/bin/env node
// CommonJS, like all that it loads: without Node's loader of ES modules it starts sooner.
const { keepCompiledCode, main } = require('../dist/cli.cjs');

const args = process.argv.slice(2);
keepCompiledCode(args[0], process.env, process.platform);
main(args, process).then((status) => {
  process.exitCode = status;
});
