// Reduced motion.

/** Whether the device or the settings ask for less motion. */
export function prefersReducedMotion() {
  const isSet = document.documentElement.dataset.motion === 'less';
  return isSet || matchMedia('(prefers-reduced-motion: reduce)').matches;
}
