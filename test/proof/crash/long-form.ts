/** True for the long form of the crash proof (`npm run bench:crash`), which tries everything. */
export const isThorough = process.env.ATTRACTOR_THOROUGH_TESTS !== undefined;
