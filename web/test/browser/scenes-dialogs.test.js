// Scenes of dialogs and errors: layout, accessibility (axe-core) and screenshots.

import { lookAt } from './looks.js';
import { GROUPS } from './scenes.js';

await lookAt(GROUPS.sheets);
