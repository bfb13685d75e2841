/** A pipeline without findings. */
export const good = `digraph Good {
    start [shape=Mdiamond]
    done  [shape=Msquare]
    work  [prompt="Do it"]
    start -> work -> done
}
`;
/** One that asks a person, and has a property. */
export const gate = `digraph Gate {
    graph ["check.asked"="publish only after ask = yes"]
    start   [shape=Mdiamond]
    done    [shape=Msquare]
    ask     [shape=hexagon, label="Publish?"]
    publish [prompt="Publish it"]
    start -> ask
    ask -> publish [label="[Y] Yes"]
    ask -> done    [label="[N] No"]
    publish -> done
}
`;
