// What the benchmark needs of the client's side, which the library does not export.

export { openCluster } from '../../src/cluster/dbos/cluster.js';
export { migrateCluster } from '../../src/cluster/dbos/migrate.js';
export { prepareSubmission } from '../../src/cluster/prepare-submission.js';
export { compile } from '../../src/compiler/compile.js';
export { compileOptionsOf, extensionsFor } from '../../src/setup/extensions.js';
export { registryOf } from '../../src/setup/plug-in.js';
