// Scenes of dialogs and errors: layout, accessibility (axe-core) and screenshots.

import { testScenes } from './scene-checks.js';
import { GROUPS } from './scenes.js';

await testScenes(GROUPS.dialogs);
