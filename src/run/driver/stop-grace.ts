/** How long a handler may take to stop before its stage is given up (SEMANTICS 59b). */
export const stopGraceMs = 5000;
