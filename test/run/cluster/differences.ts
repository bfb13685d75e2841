/** Tests of the engine that do not hold for runs in a cluster, and why not. */
interface Difference {
  readonly reason: string;
  /** Full names of tests, by their file below `test/run`. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

/** All of them: each test must fail in a cluster, so that no reason outlives its cause, and every other one must pass. */
export const differences: readonly Difference[] = [
  {
    reason:
      'the directory of a run on a worker is a cache: its checkpoint is written at the end, and its journal in larger parts',
    tests: {
      'context.test.ts': [
        '5.1, 11.7: the context of a run > is what each checkpoint has, with completed nodes and retry counts',
      ],
      'cut-off.test.ts': [
        "11.12, 66: cut off after any line of its journals, it comes to the same end: 'a pipeline inside of a pipeline, of o…'",
      ],
      'run-state.test.ts': [
        '5.3, 66: checkpoint.json > 66b: is saved after each node, with the node that comes next',
        '§12 Statuses of a run: created, running, paused, success, fail, cancelled > running, as long as it is under way',
      ],
    },
  },
  {
    reason: 'a stage that leaves no files has its status there once something is told where that is',
    tests: {
      'run-files.test.ts': [
        '5.6: files > 61, 62a: every executed node has a status.json, start and exit included',
        '5.6: files > 17g: names that objects have of their own are ordinary names',
      ],
      'driver/handler-registry.test.ts': [
        '4.2: the registry > DESIGN 5: under simulate nothing real is called, not even what was registered',
      ],
    },
  },
  {
    reason:
      'a pause reaches a child when it is recorded, and a stage may have ended, and the next one begun, by then',
    tests: {
      'children/child-runs.test.ts': [
        'a pause of the parent > after its stages pauses the child of a sub-pipeline after its stage',
        'a pause of the parent > after its stages pauses the child of a manager after its stage',
      ],
    },
  },
  {
    reason:
      'events are for observers once they are recorded: of the last ones, nobody can add anything to the log any more',
    tests: {
      'shared-values.test.ts': [
        '9.6: what observers are told cannot be changed > neither the values of the run nor the events of others',
      ],
    },
  },
  {
    reason: 'a pipeline is submitted without its secrets: whoever has its text says so, and not the run',
    tests: {
      'secrets.test.ts': ['a pipeline with a secret in it > is run without it, and so it is resumed'],
    },
  },
  {
    reason: 'the manifest of a run in a cluster says that it is one',
    tests: { 'run-files.test.ts': ['5.6: files > manifest.json says what the run is'] },
  },
];
