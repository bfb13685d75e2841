/** Time in milliseconds in which a handler may stop before its stage is given up (SEMANTICS 59b). */
export const stopGraceMs = 5000;
