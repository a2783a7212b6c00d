// What Apple's other headers declare besides what those of Linux do.
#pragma once

int pthread_main_np(void);
