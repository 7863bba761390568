// Form filled before hydration: what the user has typed by now is overwritten.
document.getElementById('email').value = localStorage.getItem('email') ?? 'you@example.org';
