// Who may import whom. The rules are made from the two tables below; each row gives its reason.

/**
 * Folders (and files) of src/, and what each may import from src/ besides itself and src/version.ts.
 * @type {readonly { from: string, to: readonly string[], because: string }[]}
 */
const layers = [
  {
    from: 'diagnostic',
    to: [],
    because: 'every phase reports diagnostics, so that they may depend on none',
  },
  {
    from: 'parser',
    to: ['diagnostic'],
    because: 'text becomes a syntax tree without knowing what it means',
  },
  {
    from: 'graph',
    to: ['diagnostic', 'parser'],
    because:
      'the graph is lowered from syntax trees; transforms, lint and the engine read it, never the reverse',
  },
  {
    from: 'format',
    to: ['diagnostic', 'parser'],
    because: 'a text is printed from what was written, whatever it means',
  },
  {
    from: 'transforms',
    to: ['diagnostic', 'parser', 'graph'],
    because: 'a transform is a function from graph to graph, whoever calls it',
  },
  {
    from: 'lint',
    to: ['diagnostic', 'parser', 'graph'],
    because: 'a rule judges the graph it is given, not how it came about or how it will run',
  },
  {
    from: 'compile.ts',
    to: ['diagnostic', 'parser', 'graph', 'transforms', 'lint'],
    because: 'the phases in order, on one screen; a program is made before there is an engine',
  },
  {
    from: 'fix.ts',
    to: ['diagnostic', 'lint', 'compile.ts'],
    because: 'whether a fix helps, only compiling the fixed text can say',
  },
  {
    from: 'engine/machine',
    to: ['parser', 'graph'],
    because:
      'the state machine sees programs and inputs: a driver, a cluster worker and a simulator must agree',
  },
  {
    from: 'secrets',
    to: [],
    because: 'what is secret is known from names and looks alone, so that every writer can leave it out',
  },
  {
    from: 'engine/handlers',
    to: ['graph', 'engine/machine', 'secrets'],
    because: 'a handler performs one stage and reports its outcome; it neither routes nor stores',
  },
  {
    from: 'engine/runtime',
    to: ['graph', 'engine/machine', 'engine/handlers', 'secrets'],
    because: 'the driver performs effects through ports: it knows no compiler, no backend and no face',
  },
  {
    from: 'backends',
    to: ['diagnostic', 'graph', 'engine', 'secrets'],
    because:
      'a backend plugs into a port, and tells a model of its mistakes in the words of findings; nothing of the compiler depends on it',
  },
  {
    from: 'interviewers',
    to: ['diagnostic', 'graph', 'engine'],
    because:
      'an interviewer plugs into a port, and shows texts of others as safely as findings are shown; nothing of the compiler depends on it',
  },
  {
    from: 'workspaces',
    to: ['graph', 'engine'],
    because: 'what keeps the files of stages plugs into a port; the engine knows nothing of git',
  },
  {
    from: 'check-shell.ts',
    to: ['lint'],
    because: 'the shell of a machine is a port of lint: whoever calls lint on a machine hands it in',
  },
  {
    from: 'run-options.ts',
    to: [...core(), 'engine', 'secrets'],
    because: 'what a run may be given is said in the words of all who take it',
  },
  {
    from: 'child-run',
    to: [...core(), 'run-options.ts', 'engine', 'secrets'],
    because:
      'a stage that runs a pipeline meets a text too; who starts runs is handed in, because that needs this',
  },
  {
    from: 'run-parts.ts',
    to: [...core(), 'run-options.ts', 'engine', 'interviewers', 'secrets'],
    because: 'here a text meets the engine: it compiles, and chooses what plugs into the ports',
  },
  {
    from: 'run.ts',
    to: [...core(), 'run-options.ts', 'run-parts.ts', 'child-run', 'workspaces', 'engine', 'secrets'],
    because: 'it puts the parts of a run together, and runs it',
  },
  {
    from: 'fork-run.ts',
    to: [...core(), 'run-options.ts', 'run-parts.ts', 'workspaces', 'engine'],
    because: 'a run is made from another one; whoever resumes it goes on with it',
  },
  {
    from: 'verify-replay.ts',
    to: [...core(), 'run-options.ts', 'run.ts', 'engine'],
    because: 'whether a run comes out the same, only running it again can say',
  },
  {
    from: 'execution.ts',
    to: [...core(), 'run-options.ts', 'run-parts.ts', 'run.ts', 'engine', 'secrets'],
    because: 'a handle of a run watches and steers what somebody else runs',
  },
  {
    from: 'simulate.ts',
    to: [...core(), 'run-options.ts', 'engine', 'interviewers'],
    because: 'here a text meets the engine too, but nothing of the world around it',
  },
  {
    from: 'reroute.ts',
    to: [...core(), 'simulate.ts', 'engine'],
    because: 'what another pipeline makes of an old run, a simulation on its journal says',
  },
  {
    from: 'core.ts',
    to: [...core(), 'simulate.ts', 'engine'],
    because: 'what needs no Node is a part of the public API; the build says when something does',
  },
  {
    from: 'extension',
    to: [...core(), 'engine', 'backends'],
    because:
      'a plugin brings what every phase and every port takes; whoever loads plugins chooses what to do with them',
  },
  {
    from: 'importers',
    to: ['diagnostic', 'parser', 'graph'],
    because: 'an importer turns another format into DOT text and nothing else',
  },
  {
    from: 'render',
    to: ['graph'],
    because: 'a picture is drawn from the graph, and from facts of a run handed in as data',
  },
  {
    from: 'protocol',
    to: ['diagnostic', 'graph', 'engine'],
    because: 'what the server and its clients say to each other is known to both, and needs neither',
  },
  {
    from: 'history',
    to: [...core(), 'engine', 'render', 'protocol', 'secrets'],
    because: 'what happened in a run is told from its directory, whoever wants to know',
  },
  {
    from: 'host',
    to: [...api(), 'run-options.ts', 'history'],
    because: 'whatever runs pipelines on this machine chooses configuration, keys and backends the same way',
  },
  {
    from: 'report',
    to: [...core(), 'engine', 'render', 'history', 'protocol', 'secrets'],
    because: 'a report is made from the directory of a run, and from nothing that goes on around it',
  },
  {
    from: 'telemetry',
    to: ['graph', 'engine', 'secrets'],
    because: 'measurements and traces are folds over events, which run without them',
  },
  ...['cli', 'lsp', 'server', 'web'].map((face) => ({
    from: face,
    to: [...api(), ...shared(), ...facesStartedBy(face)],
    because: 'a face shows what the others compute; faces do not build upon each other',
  })),
  {
    from: 'index.ts',
    to: api(),
    because: 'the public API is everything but the faces',
  },
  {
    from: 'version.ts',
    to: [],
    because: 'everybody may name the version, so that it may depend on nobody',
  },
];

/**
 * The pure core: no `node:*`, and of npm only packages that compute.
 * The renderers of diagnostics use chalk, and tell it the colour level instead of letting it look.
 */
const pureCore = [...core(), 'engine/machine'];
const purePackages = ['chevrotain', 'immutable', 're2js', 'fastest-levenshtein'];
const packagesOf = { diagnostic: [...purePackages, 'chalk'] };

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
      from: { path: inSrc(pureCore) },
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
  return ['diagnostic', 'parser', 'format', 'graph', 'transforms', 'lint', 'compile.ts', 'fix.ts'];
}

function api() {
  return [
    ...core(),
    'check-shell.ts',
    'run.ts',
    'fork-run.ts',
    'execution.ts',
    'simulate.ts',
    'reroute.ts',
    'verify-replay.ts',
    'engine',
    'secrets',
    'backends',
    'interviewers',
    'extension',
    'importers',
    'render',
  ];
}

function shared() {
  return ['run-options.ts', 'protocol', 'history', 'host', 'report', 'telemetry'];
}

// The command line starts the language server and the HTTP server; the latter serves the page.
function facesStartedBy(face) {
  return { cli: ['lsp', 'server'], server: ['web'] }[face] ?? [];
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
