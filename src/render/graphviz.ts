/** Graphviz compiled to WebAssembly, in a module of its own so that nothing but a layout loads it. */
export { Graphviz } from '@hpcc-js/wasm-graphviz';

/** Where a worker finds this export again: the bundle's chunk, or for the sources, which Node can't load, the package. */
export const graphvizModule = import.meta.url.endsWith('.ts') ? '@hpcc-js/wasm-graphviz' : import.meta.url;
