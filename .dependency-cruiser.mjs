// Who may import whom. The rules are made from the two tables below; each row gives its reason.

/**
 * Folders (and files) of src/, and what each may import from src/ besides itself and src/version.ts.
 * @type {readonly { from: string, to: readonly string[], because: string }[]}
 */
const layers = [
  {
    from: 'diagnostic',
    to: [],
    because: 'every phase reports diagnostics, so diagnostics depend on no phase',
  },
  {
    from: 'parser',
    to: ['diagnostic'],
    because: 'text becomes a syntax tree without knowing what it means',
  },
  {
    from: 'format',
    to: ['diagnostic', 'parser'],
    because: 'the formatter prints what was written, whatever it means',
  },
  {
    from: 'graph',
    to: ['diagnostic', 'parser'],
    because: 'the graph is lowered from syntax trees; transforms, lint and the machine read it',
  },
  {
    from: 'transforms',
    to: ['diagnostic', 'parser', 'graph'],
    because: 'a transform is a function from graph to graph, whoever calls it',
  },
  {
    from: 'importers',
    to: ['diagnostic', 'parser', 'graph'],
    because:
      'an importer turns a text into a text: it judges nothing, and whoever calls it reads and writes the files',
  },
  {
    from: 'lint',
    to: ['diagnostic', 'parser', 'graph', 'importers'],
    because: 'a rule judges a graph, not where it came from or how it will run',
  },
  {
    from: 'compiler',
    to: ['diagnostic', 'parser', 'graph', 'transforms', 'lint'],
    because: 'the compiler puts the phases in order; a program exists before anything can run it',
  },
  {
    from: 'machine',
    to: ['parser', 'graph'],
    because:
      'a driver, a cluster worker and a simulator must agree, so the state machine sees only programs and inputs',
  },
  {
    from: 'abort',
    to: [],
    because: 'whatever waits can be stopped, everywhere in the same way, so stopping depends on nobody',
  },
  {
    from: 'secrets',
    to: [],
    because: 'every writer redacts, so redaction depends on nobody',
  },
  {
    from: 'handlers',
    to: ['abort', 'diagnostic', 'graph', 'machine', 'secrets'],
    because: 'a handler performs one stage and reports its outcome; it neither routes nor stores',
  },
  {
    from: 'run-directory',
    to: ['graph', 'machine', 'handlers', 'secrets'],
    because: 'the files of a run and their formats are the same for every reader and writer',
  },
  {
    from: 'journal',
    to: ['abort', 'graph', 'machine', 'run-directory'],
    because: 'the journal is a file of the run directory, and its lines are events of the machine',
  },
  {
    from: 'threads',
    to: [],
    because: 'other threads do whatever a task says, so they depend on no task',
  },
  {
    from: 'render',
    to: ['graph', 'threads'],
    because: 'a picture is drawn from a graph, and from facts about a run that come in as data',
  },
  {
    from: 'view',
    to: [
      ...core(),
      ...['machine', 'secrets', 'handlers', 'run-directory', 'journal', 'render'],
      'workspaces/git/branch-names',
    ],
    because:
      'the view says what happened in a run, from its events and files alone, to everyone alike; where git keeps them, it names the branch',
  },
  {
    from: 'run',
    to: [...core(), ...engine(), 'workspaces'],
    because: 'a run drives the machine through ports: it knows no backend and no face',
  },
  {
    from: 'testing',
    to: [...core(), 'machine', 'handlers', 'run-directory', 'render', 'view', 'run'],
    because:
      'a test plays texts in the simulator and returns results: the command line reads and prints them',
  },
  {
    from: 'check',
    to: ['diagnostic', 'parser', 'graph', 'lint', 'compiler', 'machine', 'handlers', 'run-directory', 'run'],
    because:
      'a proof about runs drives the machine of a run, and plays back in the simulator what it has found',
  },
  {
    from: 'diff',
    to: [...core(), 'machine', 'run-directory', 'render', 'run', 'testing', 'check'],
    because:
      'two pipelines are compared by their graphs, and by what searches and simulations find that their runs can do',
  },
  {
    from: 'backends',
    to: ['abort', 'diagnostic', 'graph', 'machine', 'handlers', 'run-directory', 'secrets'],
    because: 'a backend plugs into a port; the compiler and the driver do not depend on it',
  },
  {
    from: 'workspaces',
    to: ['graph', 'machine', 'handlers', 'run-directory'],
    because: 'a workspace keeps the files of stages through a port; nothing else knows of git',
  },
  {
    from: 'plugins',
    to: [...core(), ...engine(), 'backends'],
    because: 'a plugin can extend every phase and every port; the caller decides what to do with it',
  },
  {
    from: 'telemetry',
    to: ['graph', 'machine', 'secrets'],
    because: 'spans, metrics and log lines are folds over events; runs work without them',
  },
  {
    from: 'setup',
    to: [...core(), ...engine(), 'backends', 'workspaces', 'plugins'],
    because: 'every face chooses configuration, keys, backends and plugins of this machine in the same way',
  },
  {
    from: 'cluster',
    to: [...core(), ...engine(), 'setup', 'workspaces'],
    because:
      'a cluster is a second host of the same runs: it keeps their history elsewhere, brings their files along, and leaves how they are executed to the run',
  },
  {
    from: 'report',
    to: [...core(), ...engine()],
    because: 'a report is made from the directory of a run and from nothing else',
  },
  {
    from: 'lsp/services',
    to: core(),
    because:
      'what an editor shows is computed from texts alone, so that the page and a language server share it',
  },
  {
    from: 'lsp/server',
    to: [...everything(), 'lsp/services'],
    because:
      'a language server connects the services with a client, files and time; nothing else depends on it',
  },
  {
    from: 'mcp',
    to: [...everything(), 'server', 'cli/package'],
    because:
      'coding agents get what the rest computes, run pipelines under the policy of the server, and read what the package brings along',
  },
  {
    from: 'server/api',
    to: ['diagnostic', 'graph', 'machine', 'run-directory', 'view'],
    because: 'server and clients both know the messages that they exchange; the messages know neither',
  },
  ...['cli', 'server', 'web'].map((face) => ({
    from: face,
    to: [...everything(), ...facesUsedBy(face)],
    because: 'a face shows what the rest computes; faces do not build upon each other',
  })),
  ...['index.ts', 'core.ts'].map((entry) => ({
    from: entry,
    to: everything(),
    because: 'the public API is everything but the faces',
  })),
  {
    from: 'version.ts',
    to: [],
    because: 'everybody may name the version, so it depends on nobody',
  },
];

/**
 * The pure core: no `node:*`, and of npm only packages that compute.
 * The renderers of diagnostics use chalk, and tell it the colour level instead of letting it look.
 */
const pureCore = [...core(), 'machine', 'lsp/services'];
const purePackages = ['chevrotain', 'immutable', 're2js', 'fastest-levenshtein'];
const packagesOf = {
  diagnostic: [...purePackages, 'chalk'],
  importers: [...purePackages, 'yaml'],
  'lsp/services': [...purePackages, 'diff'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layers.map(({ from, to, because }) => ({
      name: `layer-${ruleName(from)}`,
      comment: `${because}.`,
      severity: 'error',
      from: { path: inSrc([from]) },
      to: { path: '^src/', pathNot: inSrc([from, ...to, 'version.ts']) },
    })),
    {
      name: 'no-unlisted-folder',
      comment: 'A folder without a row in the table above is free to import anything: give it one.',
      severity: 'error',
      from: { path: '^src/', pathNot: inSrc(layers.map(({ from }) => from)) },
      to: {},
    },
    {
      name: 'pure-core-no-builtins',
      comment:
        'The core runs in the browser, in a language server and in a replay: files, clocks, randomness and processes ' +
        'belong to the driver and come in as inputs.',
      severity: 'error',
      from: { path: inSrc([...pureCore, 'testing']) },
      to: { dependencyTypes: ['core'] },
    },
    ...pureCore.map((folder) => ({
      name: `pure-core-packages-${ruleName(folder)}`,
      comment: 'A package in the core must be pure too: it only computes, on any platform.',
      severity: 'error',
      from: { path: inSrc([folder]) },
      to: {
        path: '(^|/)node_modules/',
        pathNot: `(^|/)node_modules/(${(packagesOf[folder] ?? purePackages).join('|')})/`,
      },
    })),
    {
      name: 'no-cycle',
      comment:
        'Files in a cycle cannot be read, tested or loaded one at a time; a cycle of types alone counts too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      comment:
        'A file that neither imports nor is imported is dead, or its line in an explicit list is missing.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: inSrc(['index.ts', 'core.ts', 'cli/main.ts', 'version.ts']),
      },
      to: {},
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere is a typo, or a package that package.json does not list.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'src-only',
      comment: 'The published code stands on its own: it does not reach into tests, scripts or fixtures.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|bench|fixtures|examples|dist|bin)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count: a phase that knows another's types depends on it.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};

function core() {
  return ['diagnostic', 'parser', 'format', 'graph', 'transforms', 'importers', 'lint', 'compiler'];
}

function engine() {
  return ['abort', 'machine', 'secrets', 'handlers', 'run-directory', 'journal', 'render', 'view', 'run'];
}

function everything() {
  return [
    'cluster',
    ...core(),
    ...engine(),
    'check',
    'diff',
    'threads',
    'testing',
    'backends',
    'workspaces',
    'plugins',
    'telemetry',
    'setup',
    'report',
  ];
}

// The command line starts the servers, of which one serves the page; the page shares the messages of the API with it, and the
// services of editors with the language server.
function facesUsedBy(face) {
  return { cli: ['server', 'lsp/server', 'mcp'], server: ['web'], web: ['server/api', 'lsp/services'] }[face];
}

/** A pattern for what lies in the given folders, or is the given file, of src/. */
function inSrc(places) {
  const patterns = places.map((place) =>
    place.endsWith('.ts') ? `${place.replace('.', '\\.')}$` : `${place}(/|\\.ts$)`,
  );
  return `^src/(${patterns.join('|')})`;
}

function ruleName(place) {
  return place.replace('.ts', '').replaceAll('/', '-');
}
