/** A pipeline to start from. */
export interface Example {
  readonly title: string;
  readonly text: string;
}

/** From the smallest pipeline on, each with something more to try. */
export const examples: readonly Example[] = [
  {
    title: 'A first pipeline',
    text: `digraph greeting {
    goal="Greet whoever opens the playground"

    start [shape=Mdiamond]
    write [prompt="Write a friendly greeting: $goal"]
    exit [shape=Msquare]

    start -> write -> exit
}
`,
  },
  {
    title: 'Fix until the tests are green',
    text: `digraph fix_until_green {
    goal="Make the tests pass"

    start [shape=Mdiamond]
    implement [prompt="Change the code so that this holds: $goal", max_retries=2]
    test [shape=parallelogram, tool_command="npm test", timeout="10m"]
    verdict [shape=diamond]
    repair [prompt="The tests failed. Repair the code:\\n\${context.tool.output}", max_visits=3]
    exit [shape=Msquare]

    start -> implement -> test -> verdict
    verdict -> exit [condition="outcome=success"]
    verdict -> repair [condition="outcome!=success"]
    repair -> test
}
`,
  },
  {
    title: 'A person decides',
    text: `digraph review {
    goal="Publish an article"

    start [shape=Mdiamond]
    draft [prompt="Write the article: $goal"]
    release [shape=hexagon, label="Publish it?"]
    revise [prompt="Revise the article as the reviewer said"]
    publish [prompt="Prepare the article for the web site"]
    exit [shape=Msquare]

    start -> draft -> release
    release -> publish [label="[P] Publish"]
    release -> revise [label="[R] Revise"]
    release -> exit [label="[D] Drop it"]
    revise -> release
    publish -> exit
}
`,
  },
  {
    title: 'Three drafts at once',
    text: `digraph three_drafts {
    goal="A name for a library"

    start [shape=Mdiamond]
    fan [shape=component, label="Three drafts"]
    plain [prompt="Suggest a plain name: $goal"]
    playful [prompt="Suggest a playful name: $goal"]
    short [prompt="Suggest the shortest name you can think of: $goal"]
    choose [shape=tripleoctagon, label="The best of them"]
    exit [shape=Msquare]

    start -> fan
    fan -> plain
    fan -> playful
    fan -> short
    plain -> choose
    playful -> choose
    short -> choose
    choose -> exit
}
`,
  },
];
