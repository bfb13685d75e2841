/** Example of the package: `examples/NAME.dot`. */
export interface Example {
  readonly name: string;
  readonly summary: string;
  /** Name of the template that it is for `attractor init`; undefined if it is only for looking at. */
  readonly template?: string;
  /** Further files next to the pipeline. */
  readonly others: readonly string[];
}

/** Examples, those to begin with first. */
export const examples: readonly Example[] = [
  {
    name: 'fix-until-green',
    template: 'fix-until-green',
    summary: 'an agent changes the code, and repairs it until the tests pass',
    others: ['fix-until-green.script.yaml'],
  },
  {
    name: 'review-a-change',
    template: 'review-a-change',
    summary: 'two reviews of the change of a branch; the run fails with what they found',
    others: ['review-a-change.script.yaml'],
  },
  {
    name: 'map-reduce',
    template: 'map-reduce',
    summary: 'a review of every file of a list at the same time, and a summary of the reviews',
    others: ['map-reduce.script.yaml'],
  },
  {
    name: 'review-loop',
    template: 'approval',
    summary: 'a text that a person approves, sends back, or drops',
    others: ['review-loop.script.yaml'],
  },
  {
    name: 'supervised',
    template: 'supervised',
    summary: 'a manager that supervises a pipeline of its own',
    others: ['supervised.script.yaml', 'supervised-sprint.dot'],
  },
  {
    name: 'quickstart',
    summary: 'a greeting that is drafted, tested, repaired and reviewed; needs no model',
    others: [],
  },
  {
    name: 'greeting',
    summary: 'a model writes a program, tests it, and repairs it until the test passes',
    others: [],
  },
  {
    name: 'release',
    summary: 'checks from three sides at the same time, repairs, and a release by a person',
    others: ['release.script.yaml'],
  },
  {
    name: 'three-tries',
    summary: 'three tries to make the tests pass, then a person decides',
    others: ['three-tries.script.yaml'],
  },
  {
    name: 'roadmap',
    summary:
      'works through the open tasks of a roadmap: each is done, verified and ticked off, or rolled back',
    others: ['roadmap.md', 'roadmap.mjs'],
  },
];
