/** Path of the node whose outcome routes (SEMANTICS 114). */
export const routedNode = 'result.node';

/** Key under which the values of a search have it, which is not the path of a key in the context. */
export const routedKey = '(routed)';
