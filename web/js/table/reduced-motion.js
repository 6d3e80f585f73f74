/** Whether less motion is wanted, by the device or by the settings. */
export function isStill() {
  const wanted = document.documentElement.dataset.motion === 'less';
  return wanted || matchMedia('(prefers-reduced-motion: reduce)').matches;
}
