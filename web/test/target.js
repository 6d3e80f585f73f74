// The folder in which cargo builds, and in which tests write the files that nobody commits.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Cargo's target folder. */
export const TARGET = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
