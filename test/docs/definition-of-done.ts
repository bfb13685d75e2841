/** A test, by its file in the folder of the tests and its title. */
export type Proof = readonly [file: string, title: string];

/** The lines of the specification's definition of done that the engine has to meet, and the tests that prove each of them. */
export const definitionOfDone: Readonly<Record<string, Readonly<Record<string, readonly Proof[]>>>> = {
  '11.3 Execution Engine': {
    'Engine resolves the start node and begins execution there': [
      ['graph/program.test.ts', '41: start and exit'],
      [
        'run/whole-pipelines.test.ts',
        'each node is executed, then an edge is selected, then comes the next node',
      ],
    ],
    "Each node's handler is resolved via shape-to-handler-type mapping": [
      ['graph/program.test.ts', '2.8, 4.2: the handler of a node'],
      ['run/driver/handler-registry.test.ts', 'an unknown type falls back to the shape'],
    ],
    'Handler is called with (node, context, graph, logs_root) and returns an Outcome': [
      ['handlers/custom.test.ts', 'is the node, the graph, the run and its place'],
      ['handlers/custom.test.ts', 'what is set becomes part of the outcome, and the outcome wins'],
    ],
    'Outcome is written to {logs_root}/{node_id}/status.json': [
      ['run/run-files.test.ts', '61, 62a: every executed node has a status.json, start and exit included'],
    ],
    'Edge selection follows the 5-step priority': [
      [
        'routing/edge-selection.test.ts',
        '18: a true condition goes before the preferred label and the weight',
      ],
      ['routing/edge-selection.test.ts', '18: the preferred label goes before the suggested ids'],
      ['routing/edge-selection.test.ts', '18: the suggested ids go before the weight'],
      ['routing/edge-selection.test.ts', '19: the heavier edge wins'],
      ['routing/edge-selection.test.ts', '19: at equal weight the smaller target id wins'],
    ],
    'Engine loops: execute node -> select edge -> advance to next node -> repeat': [
      [
        'run/whole-pipelines.test.ts',
        'each node is executed, then an edge is selected, then comes the next node',
      ],
    ],
    'Terminal node (shape=Msquare) stops execution': [
      ['run/whole-pipelines.test.ts', 'a line of three nodes ends at the exit'],
    ],
    'Pipeline outcome is "success" if all goal_gate nodes succeeded, "fail" otherwise': [
      ['routing/goal-gates.test.ts', '32: a gate that succeeded lets the run end'],
      [
        'routing/goal-gates.test.ts',
        '33: an unsatisfied gate without a target fails the run, naming the gate',
      ],
    ],
  },
  '11.4 Goal Gate Enforcement': {
    'Nodes with goal_gate=true are tracked throughout execution': [
      ['routing/goal-gates.test.ts', '32: the latest outcome counts'],
      ['routing/goal-gates.test.ts', '32: a later failure of a gate that had succeeded blocks'],
    ],
    'Before allowing exit, the engine checks all goal gate nodes have status SUCCESS': [
      ['routing/goal-gates.test.ts', '32: a gate that succeeded lets the run end'],
      ['routing/goal-gates.test.ts', '32: a partial success will do'],
      ['routing/goal-gates.test.ts', '37: a skipped gate is neither satisfied nor failed by it'],
      ['routing/goal-gates.test.ts', '33: of several unsatisfied gates the one that was visited first'],
    ],
    'If any goal gate node has not succeeded, the engine routes to retry_target instead of exiting': [
      [
        'routing/goal-gates.test.ts',
        "33: first the gate's retry_target, then its fallback, before those of the graph",
      ],
    ],
    'If no retry_target and goal gates unsatisfied, pipeline outcome is "fail"': [
      [
        'routing/goal-gates.test.ts',
        '33: an unsatisfied gate without a target fails the run, naming the gate',
      ],
    ],
  },
  '11.5 Retry Logic': {
    'Nodes with max_retries > 0 are retried on RETRY or FAIL': [
      ['routing/retry.test.ts', '24: RETRY is always retried'],
      ['routing/retry.test.ts', '24: FAIL is retried where the node has max_retries'],
    ],
    'Retry count is tracked per-node and respects the configured limit': [
      ['routing/retry.test.ts', '31: the retry counter'],
      ['routing/retry.test.ts', 'keeps its last value when the retries are used up'],
      ['run/context.test.ts', 'is what each checkpoint has, with completed nodes and retry counts'],
    ],
    'Backoff between retries works: constant, linear, or exponential': [
      ['routing/retry.test.ts', '29, 3.6: the back-off'],
      ['routing/retry.test.ts', 'standard'],
      ['routing/retry.test.ts', 'linear'],
      ['routing/retry.test.ts', 'patient'],
    ],
    'Jitter is applied to backoff delays': [['routing/retry.test.ts', '%s with chance %f pauses %j']],
    "After retry exhaustion, the node's final outcome is used for edge selection": [
      ['routing/retry.test.ts', '28, 11.5: and the last label and updates, which route'],
    ],
  },
  '11.6 Node Handlers': {
    'Start handler: returns SUCCESS immediately': [
      ['handlers/start-and-exit.test.ts', 'the start succeeds at once'],
    ],
    'Exit handler: returns SUCCESS immediately; the engine checks goal gates': [
      [
        'handlers/start-and-exit.test.ts',
        'the exit succeeds at once, where the engine has found all goal gates satisfied',
      ],
    ],
    'Codergen handler: expands $goal, calls CodergenBackend.run(), writes prompt.md and response.md': [
      ['transforms/expand-goal.test.ts', '60: $goal'],
      ['handlers/codergen.test.ts', 'hands node, prompt, context and circumstances to the backend'],
      ['handlers/codergen.test.ts', '5.6: keeps prompt, response and status'],
    ],
    'Wait.human handler: presents outgoing edge labels as choices, returns selected label as preferred_label':
      [
        ['handlers/wait-human.test.ts', 'offers its edges as choices'],
        [
          'handlers/wait-human.test.ts',
          '55, 55a: prefers the chosen edge, by label and by target, and says what was chosen',
        ],
      ],
    'Conditional handler: passes through; engine evaluates edge conditions against outcome/context': [
      [
        'routing/failure-routing.test.ts',
        '21: a diamond leaves outcome and preferred_label in the context as they were',
      ],
      [
        'routing/failure-routing.test.ts',
        '22: a routing hole fails and lists each condition with the values that it saw',
      ],
      [
        'run/whole-pipelines.test.ts',
        '2.13 Branch: a validation that fails once goes back through implement',
      ],
    ],
    'Parallel handler: fans out to multiple target nodes concurrently': [
      ['routing/parallel.test.ts', '4.8: the branches run at the same time'],
    ],
    'Fan-in handler: waits for all parallel branches to complete before proceeding': [
      [
        'routing/parallel.test.ts',
        'every branch runs, the results come in the order of the edges, and the run continues at the join',
      ],
      ['routing/parallel.test.ts', '53: the fan-in ranks by outcome, then score, then id'],
    ],
    'Tool handler: executes configured tool/command and returns result': [
      ['handlers/tool.test.ts', 'exit 0 is a success, with the output as it was'],
    ],
    'Custom handlers can be registered by type string': [
      ['run/driver/handler-registry.test.ts', '11.12: finds a registered type, before the shape'],
    ],
  },
  '11.7 State and Context': {
    'Context is a key-value store accessible to all handlers': [
      ['run/context.test.ts', 'is read and written by handlers of every type'],
    ],
    'Handlers can read context and return context_updates in the Outcome': [
      ['handlers/custom.test.ts', '11.12: has the updates of the stage before'],
      ['run/context.test.ts', 'is read and written by handlers of every type'],
    ],
    'Context updates are merged after each node execution': [
      ['run/context.test.ts', 'has the updates of all stages before, the latest of each'],
    ],
    'Checkpoint is saved after each node completion (current_node, completed_nodes, context, retry counts)': [
      ['run/run-state.test.ts', '66b: is saved after each node, with the node that comes next'],
      ['run/context.test.ts', 'is what each checkpoint has, with completed nodes and retry counts'],
    ],
    'Resume from checkpoint: load checkpoint -> restore state -> continue from current_node': [
      [
        'run/whole-pipelines.test.ts',
        'one that is resumed executes what comes after the current node of its checkpoint',
      ],
    ],
    'Artifacts are written to {logs_root}/{node_id}/ (prompt.md, response.md, status.json)': [
      ['handlers/codergen.test.ts', '5.6: keeps prompt, response and status'],
    ],
  },
  '11.8 Human-in-the-Loop': {
    'Interviewer interface works: ask(question) -> Answer': [
      ['run/questions/ask-question.test.ts', '6.5: a question that is put to an interviewer'],
      ['handlers/wait-human.test.ts', 'offers its edges as choices'],
    ],
    'Question supports types: SINGLE_SELECT, MULTI_SELECT, FREE_TEXT, CONFIRM': [
      ['run/questions/read-question.test.ts', 'SINGLE_SELECT'],
      ['run/questions/read-question.test.ts', 'MULTI_SELECT'],
      ['run/questions/read-question.test.ts', 'FREE_TEXT'],
      ['run/questions/read-question.test.ts', 'CONFIRM'],
      ['run/questions/read-question.test.ts', '11.8: several of the options'],
    ],
    'AutoApproveInterviewer always selects the first option': [
      ['run/questions/auto-approve.test.ts', 'says yes, takes the first option, and approves in words'],
      ['handlers/wait-human.test.ts', '6.4: auto-approve takes the first choice'],
    ],
    'ConsoleInterviewer prompts in terminal and reads user input': [
      ['run/questions/console.test.ts', 'shows the question with its details and choices'],
      ['run/questions/console.test.ts', '87: reads a pipe line by line; at its end nobody answers'],
    ],
    'CallbackInterviewer delegates to a provided function': [
      ['run/questions/callback.test.ts', 'is given the question and the signal'],
    ],
    'QueueInterviewer reads from a pre-filled answer queue': [
      ['run/questions/queue.test.ts', '57: gives one entry a question, and then skips'],
    ],
  },
  '11.9 Condition Expressions': {
    '= (equals) operator works for string comparison': [
      ['graph/evaluate-condition.test.ts', '§10.3: equality of texts, exact and case-sensitive'],
    ],
    '!= (not equals) operator works': [
      ['graph/evaluate-condition.test.ts', '§10.3: equality of texts, exact and case-sensitive'],
      [
        'graph/evaluate-condition.test.ts',
        '= and !=, in and not in are negations of each other, whatever is missing',
      ],
    ],
    '&& (AND) conjunction works with multiple clauses': [['graph/evaluate-condition.test.ts', 'connectives']],
    "outcome variable resolves to the current node's outcome status": [
      ['graph/evaluate-condition.test.ts', '69: outcome and preferred_label are those of the outcome'],
      ['routing/edge-selection.test.ts', '44i: and the outcome of that stage, whatever its updates say'],
    ],
    "preferred_label variable resolves to the outcome's preferred label": [
      ['graph/evaluate-condition.test.ts', '69: outcome and preferred_label are those of the outcome'],
    ],
    'context.* variables resolve to context values (missing keys = empty string)': [
      ['graph/evaluate-condition.test.ts', '44c: lookup'],
      ['graph/evaluate-condition.test.ts', '44d: missing keys'],
      ['routing/edge-selection.test.ts', '44i: a condition sees the updates of the stage that it leaves'],
    ],
    'Empty condition always evaluates to true (unconditional edge)': [
      ['routing/edge-selection.test.ts', '44h: a blank condition makes an edge unconditional'],
    ],
  },
  '11.12 Cross-Feature Parity Matrix': {
    'Parse a simple linear pipeline (start -> A -> B -> done)': [
      ['compiler/simple-pipelines.test.ts', 'a chain is its nodes and the edges between them'],
    ],
    'Parse a pipeline with graph-level attributes (goal, label)': [
      ['compiler/simple-pipelines.test.ts', 'the graph has attributes of its own, by either notation'],
    ],
    'Parse multi-line node attributes': [
      ['compiler/simple-pipelines.test.ts', 'attributes may go over several lines'],
    ],
    'Validate: missing start node -> error': [
      ['compiler/compile.test.ts', 'Exactly one start node (shape=Mdiamond) is required: none'],
    ],
    'Validate: missing exit node -> error': [
      ['compiler/compile.test.ts', 'Exactly one exit node (shape=Msquare) is required: none'],
    ],
    'Validate: orphan node -> finding': [
      ['compiler/compile.test.ts', 'All nodes are reachable from start (no orphans)'],
    ],
    'Execute a linear 3-node pipeline end-to-end': [
      ['run/whole-pipelines.test.ts', 'a line of three nodes ends at the exit'],
    ],
    'Execute with conditional branching (success/fail paths)': [
      ['routing/failure-routing.test.ts', '20: a matching condition goes first'],
      [
        'run/whole-pipelines.test.ts',
        '2.13 Branch: a validation that fails once goes back through implement',
      ],
    ],
    'Execute with retry on failure (max_retries=2)': [
      ['routing/retry.test.ts', '24: FAIL is retried where the node has max_retries'],
      ['routing/retry.test.ts', '24: the first success ends the retries'],
    ],
    'Goal gate blocks exit when unsatisfied': [
      [
        'routing/goal-gates.test.ts',
        '33: an unsatisfied gate without a target fails the run, naming the gate',
      ],
      [
        'routing/goal-gates.test.ts',
        "33: first the gate's retry_target, then its fallback, before those of the graph",
      ],
    ],
    'Goal gate allows exit when all satisfied': [
      ['routing/goal-gates.test.ts', '32: a gate that succeeded lets the run end'],
      ['routing/goal-gates.test.ts', '33: of several unsatisfied gates the one that was visited first'],
    ],
    'Wait.human presents choices and routes on selection': [
      ['handlers/wait-human.test.ts', 'offers its edges as choices'],
      ['handlers/wait-human.test.ts', 'by its key'],
    ],
    'Edge selection: condition match wins over weight': [
      [
        'routing/edge-selection.test.ts',
        '18: a true condition goes before the preferred label and the weight',
      ],
    ],
    'Edge selection: weight breaks ties for unconditional edges': [
      ['routing/edge-selection.test.ts', '19: the heavier edge wins'],
    ],
    'Edge selection: lexical tiebreak as final fallback': [
      ['routing/edge-selection.test.ts', '19: at equal weight the smaller target id wins'],
    ],
    'Context updates from one node are visible to the next': [
      ['handlers/custom.test.ts', '11.12: has the updates of the stage before'],
    ],
    'Checkpoint save and resume produces same result': [
      ['run/whole-pipelines.test.ts', 'one that is resumed from its checkpoint has the same result'],
      [
        'run/cut-off.test.ts',
        '11.12, 66: cut off after any line of its journals, it comes to the same end: $name',
      ],
    ],
    'Stylesheet applies model override to nodes by shape': [
      ['transforms/apply-stylesheet.test.ts', 'selectors'],
      ['run/whole-pipelines.test.ts', 'a stylesheet gives the nodes of a shape their model'],
    ],
    'Prompt variable expansion ($goal) works': [
      ['transforms/expand-goal.test.ts', '60: $goal'],
      [
        'run/values.test.ts',
        '60: what $goal stands for is a template too, and a value is not expanded again',
      ],
    ],
    'Parallel fan-out and fan-in complete correctly': [
      [
        'routing/parallel.test.ts',
        'every branch runs, the results come in the order of the edges, and the run continues at the join',
      ],
    ],
    'Custom handler registration and execution works': [
      ['run/driver/handler-registry.test.ts', '11.12: finds a registered type, before the shape'],
    ],
    'Pipeline with 10+ nodes completes without errors': [
      ['run/whole-pipelines.test.ts', 'forty nodes complete without errors'],
    ],
  },
};
