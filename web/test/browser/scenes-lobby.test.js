// Scenes of the home page and the lobby: layout, accessibility (axe-core) and screenshots.

import { lookAt } from './looks.js';
import { GROUPS } from './scenes.js';

await lookAt(GROUPS.lobby);
